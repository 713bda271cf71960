import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { User } from "../../api/types";

/** Roles that may work on requests. */
const WORKS: readonly string[] = ["clerk", "supervisor", "tenant-admin", "platform-admin"];

/** Who a request can be handed to, for those who may see the users. For all others nobody: they write the login. */
export function useLogins(wanted: boolean): readonly User[] {
  const [users, setUsers] = useState<readonly User[]>([]);
  useEffect(() => {
    if (!wanted) return undefined;
    const abort = new AbortController();
    api
      .users({ signal: abort.signal })
      .then((page) => setUsers(page.items.filter((user) => WORKS.includes(user.role))))
      .catch(() => undefined);
    return () => abort.abort();
  }, [wanted]);
  return users;
}
