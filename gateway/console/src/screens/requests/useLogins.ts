import { useEffect, useState } from "react";

import { api } from "../../api/client";
import type { User } from "../../api/types";

/** Roles that may work on requests. */
const WORKS: readonly string[] = ["clerk", "supervisor", "tenant-admin", "platform-admin"];

/** Who of an office a request can be handed to, for those who may see its users. For all others (null) nobody: they write the login. */
export function useLogins(tenant: string | null): readonly User[] {
  const [users, setUsers] = useState<readonly User[]>([]);
  useEffect(() => {
    if (tenant === null) return undefined;
    const abort = new AbortController();
    api
      .usersOf(tenant, { signal: abort.signal })
      .then((page) => setUsers(page.items.filter((user) => WORKS.includes(user.role))))
      .catch(() => undefined);
    return () => abort.abort();
  }, [tenant]);
  return users;
}
