// Bodies in and out.

export async function bodyOf(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}

/** A body that is no text. */
export async function bytesOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

export function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

export function refuse(response, status, error_code, error_message, suggested_action, error_details = {}) {
  json(response, { error_code, error_message, error_details, recoverable: status !== 401, suggested_action }, status);
}
