import { connect } from "node:http2"
import { request as requestHttp1 } from "node:https"
import type { Readable } from "node:stream"

/** What a test sees of an answer. `body` is not read yet. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Readable
  /** Goes away without waiting for the end. */
  leave(): void
}

export interface Asking {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface ClientOptions {
  readonly port: number
  readonly ca: string
  readonly cert?: string
  readonly key?: string
}

export type Protocol = "HTTP/1.1" | "HTTP/2"

/** One request over a real socket and a connection of its own. */
export function ask(protocol: Protocol, options: ClientOptions, asking: Asking): Promise<Answer> {
  return protocol === "HTTP/2" ? askHttp2(options, asking) : askHttp1(options, asking)
}

export async function textOf(answer: Answer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer.body) chunks.push(Buffer.from(chunk))
  answer.leave()
  return Buffer.concat(chunks).toString()
}

function askHttp1({ port, ...tls }: ClientOptions, { method = "GET", path, headers, body }: Asking): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = requestHttp1({ host: "127.0.0.1", port, ...tls, method, path, headers, agent: false }, (response) => {
      response.on("error", () => undefined)
      const leave = () => request.destroy()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response, leave })
    })
    request.on("error", reject)
    request.end(body)
  })
}

function askHttp2({ port, ...tls }: ClientOptions, { method = "GET", path, headers, body }: Asking): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, tls)
    const stream = session.request({ ":method": method, ":path": path, ...headers })
    session.on("error", reject)
    stream.on("error", reject)
    // A connection that is cut ends its streams without an error; after an answer this changes nothing.
    stream.on("close", () => reject(new Error("the connection was closed before the answer came")))
    stream.on("response", (received) => {
      const leave = () => session.destroy()
      resolve({ status: received[":status"] ?? 0, headers: received, body: stream, leave })
    })
    stream.end(body)
  })
}
