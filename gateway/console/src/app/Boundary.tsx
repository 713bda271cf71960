import { Component, type ReactNode } from "react";

import { Button } from "../ui/Button";
import { Note } from "../ui/Note";

/** Catches what breaks below it. After an update of the gateway the parts that this page knows of are gone: a fresh load finds the new ones. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="p-6">
        <Note alert>
          <p>This screen could not be shown. The gateway may have been updated since you opened the console.</p>
          <Button className="mt-2" onClick={() => location.reload()}>
            Load the console again
          </Button>
        </Note>
      </div>
    );
  }
}
