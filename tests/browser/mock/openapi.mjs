// What the gateway says of its own API, as far as the console asks: which paths there are.

export const openApi = (mock) => ({
  openapi: "3.1.0",
  paths: Object.fromEntries(mock.paths.map((path) => [path, { get: { parameters: [] } }])),
});
