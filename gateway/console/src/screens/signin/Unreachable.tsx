import { explain } from "../../api/client";
import { Brand } from "../../app/Brand";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";

export function Unreachable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-lg flex-col justify-center gap-6 px-5 py-10">
      <Brand />
      <h1 className="text-2xl font-semibold">The console cannot reach the gateway</h1>
      <Note alert>{explain(error)}</Note>
      <Button tone="primary" large onClick={onRetry}>
        Try again
      </Button>
    </main>
  );
}
