// What each role may ask the gateway for, as its permissions are. What is refused is noted: no screen may ask for it.

const EVERYBODY = ["clerk", "supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"];
const ACT = ["supervisor", "tenant-admin", "platform-admin"];
const MANAGE = ["tenant-admin", "platform-admin"];

/** The first that fits counts. */
const NEEDS = [
  [/^(GET|PUT|POST) \/v1\/tenants\/[^/]+\/config/, MANAGE],
  [/^\w+ \/v1\/tenants$/, ["platform-admin"]],
  [/^\w+ \/v1\/(users|tokens)/, MANAGE],
  [/^POST \/v1\/campaigns/, ACT],
  [/^POST \/v1\/outbox\/|^DELETE \/v1\/memory\//, ACT],
  [/^PUT \/v1\/rules/, MANAGE],
  [/^\w+ \/v1\/(memory|rules)/, ["supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"]],
  [/^GET \/v1\/(audit|autonomy)/, ["tenant-admin", "auditor", "platform-admin"]],
  [/^(PUT|DELETE) \/v1\/teams|^POST \/v1\/teams\/.*\/rollback/, ["agent-admin", "tenant-admin", "platform-admin"]],
  [/^\w+ \/v1\/teams/, ["supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"]],
  [/^POST \/v1\/understand/, ["supervisor", "agent-admin", "tenant-admin", "auditor", "platform-admin"]],
  [/^POST \/v1\/phone/, ["supervisor", "agent-admin", "tenant-admin", "platform-admin"]],
  [/^POST \/v1\/knowledge\/search/, EVERYBODY],
  [/^(POST|PUT|DELETE) \/v1\/knowledge/, ["agent-admin", "tenant-admin", "platform-admin"]],
  [/^POST \/v1\/work-items/, ["clerk", "supervisor", "tenant-admin", "platform-admin"]],
  [/^GET \/v1\/calls\/[^/]+\/recording/, ["supervisor", "tenant-admin", "auditor", "platform-admin"]],
  [/^POST \/v1\/calls\/[^/]+\/judgement/, ["clerk", ...ACT]],
  [/^POST \/v1\/calls\//, ACT],
];

/** Whether whoever is signed in may ask for it. */
export function may(mock, path) {
  const [, roles] = NEEDS.find(([pattern]) => pattern.test(path)) ?? [null, EVERYBODY];
  const allowed = roles.includes(mock.role);
  if (!allowed) mock.forbidden.push(`${mock.role}: ${path}`);
  return allowed;
}
