// Server-sent events with resume, as the gateway gives them.

export class Feed {
  #history = [];
  #open = new Set();
  #serial = 0;
  /** Last-Event-ID of each connection, in order. */
  resumes = [];
  /** While true, connections are refused: the gateway is away. */
  away = false;

  connect(request, response) {
    if (this.away) {
      response.writeHead(503).end();
      return;
    }
    const last = request.headers["last-event-id"] ?? null;
    this.resumes.push(last);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const from = this.#history.findIndex((e) => e.data.event_id === last);
    response.write(`event: ready\ndata: ${JSON.stringify({ version: 1, resumed: from >= 0 })}\n\n`);
    if (from >= 0) for (const event of this.#history.slice(from + 1)) response.write(wire(event));
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
  }

  emit(name, callId, body) {
    this.#serial += 1;
    const event_id = `0197-${String(this.#serial).padStart(8, "0")}`;
    const event = { name, data: { version: 1, event_id, call_id: callId, at: new Date().toISOString(), ...body } };
    this.#history.push(event);
    for (const response of this.#open) response.write(wire(event));
    return event.data;
  }

  /** Cuts every connection, as a restarting proxy would. */
  drop() {
    for (const response of this.#open) response.destroy();
  }
  closeAll() {
    this.away = true;
    this.drop();
  }
}

const wire = ({ name, data }) => `id: ${data.event_id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
