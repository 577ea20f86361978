import type { IncomingMessage } from "node:http"
import { Agent, request } from "node:https"

export interface ClientOptions {
  readonly port: number
  readonly ca: string
  /** Left out where a certificate says who it is. */
  readonly token?: string
  /** PEM of a client certificate and its key. */
  readonly certificate?: string
}

export interface ApiRequest {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly accept?: string
  readonly contentType?: string
  /** None is sent by default. */
  readonly userAgent?: string
  /** Beside those of the other fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Buffer
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The texts of its Warning headers, as they were sent: `299 - "unknown field \"x\""`. */
  readonly warnings: readonly string[]
  /** The body read as JSON; a text that is not JSON, or is empty, comes as a string. */
  readonly value: unknown
}

/** Requests to the real server that say nothing but what they are given: the suites choose every header themselves. */
export class ApiClient {
  readonly #options: ClientOptions
  readonly #agent: Agent

  constructor(options: ClientOptions) {
    this.#options = options
    const { ca, certificate } = options
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, ca, ...(certificate && { cert: certificate, key: certificate }) })
  }

  /** Returns a client of the same server for another user. */
  withToken(token: string): ApiClient {
    return new ApiClient({ ...this.#options, token })
  }

  /** Returns a client of the same server that shows a certificate. */
  withCertificate(certificate: string): ApiClient {
    const { port, ca } = this.#options
    return new ApiClient({ port, ca, certificate })
  }

  send({
    verb,
    path,
    query = {},
    accept = "application/json",
    contentType = "application/json",
    userAgent,
    headers = {},
    body,
  }: ApiRequest): Promise<ApiAnswer> {
    const bytes = body === undefined ? undefined : body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
    const search = new URLSearchParams(query).toString()
    return new Promise((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port: this.#options.port,
        agent: this.#agent,
        method: verb,
        path: search === "" ? path : `${path}?${search}`,
        headers: {
          ...(headers as Readonly<Record<string, string | string[]>>),
          ...(this.#options.token && { authorization: `Bearer ${this.#options.token}` }),
          accept,
          ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
          ...(bytes === undefined ? {} : { "content-type": contentType, "content-length": bytes.length }),
        },
      })
      sent.once("error", reject)
      sent.once("response", (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.once("error", reject)
        response.once("end", () => resolve(answer(response, Buffer.concat(chunks))))
      })
      sent.end(bytes)
    })
  }

  /** The object that a request must be answered with; an Error with the server's words otherwise. */
  async object<T = Record<string, unknown>>(call: ApiRequest): Promise<T> {
    const { status, value } = await this.send(call)
    if (status >= 200 && status < 300) return value as T
    throw new Error(`${call.verb} ${call.path} was answered with ${status}: ${JSON.stringify(value)}`)
  }

  close(): void {
    this.#agent.destroy()
  }
}

function answer({ statusCode = 0, headers, headersDistinct }: IncomingMessage, bytes: Buffer): ApiAnswer {
  const contentType = headers["content-type"] ?? ""
  return {
    status: statusCode,
    contentType,
    bytes,
    headers,
    warnings: headersDistinct.warning ?? [],
    get value() {
      const text = bytes.toString()
      return contentType.startsWith("application/json") && text !== "" ? JSON.parse(text) : text
    },
  }
}
