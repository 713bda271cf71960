// What the gateway says of its own API, as far as the console asks: which paths there are, and what their lists take.

export const openApi = (mock) => ({
  openapi: "3.1.0",
  paths: Object.fromEntries(
    Object.entries(mock.paths).map(([path, parameters]) => [path, { get: { parameters: parameters.map((name) => ({ name, in: "query" })) } }]),
  ),
});
