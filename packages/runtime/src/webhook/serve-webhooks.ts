import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Clock, type Log, messageOf, PilothouseError, silentLog, type Transport, type Verb } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import { webhookHandler } from "./answer-review.ts"
import { registerWebhooks, type WebhookAddress } from "./register-webhooks.ts"
import { type SelfSigned, selfSigned } from "./self-signed.ts"
import type { Webhook } from "./webhook.ts"

/** Where webhooks are served, and how the API server reaches them. */
export interface ServeWebhooksOptions {
  /** Of the configurations, and of their field manager. */
  readonly name: string
  readonly client: Client
  readonly clock: Clock
  readonly log?: Log
  /** 127.0.0.1 by default. In a pod: "0.0.0.0". */
  readonly host?: string
  /** 0 by default: any free port. controller-runtime's is 9443. */
  readonly port?: number
  /** The Service in front of the webhooks; by default API servers call host and port. */
  readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number }
}

/** Served webhooks, until disposed. Their configurations stay: a webhook that is restarted guards the cluster meanwhile. */
export interface ServedWebhooks extends AsyncDisposable {
  /** "https://127.0.0.1:41234" */
  readonly url: string
}

const year = 365 * 24 * 60 * 60_000
/** Bytes of a review: two objects of 3 MiB, which is what an API server takes. */
const maxReview = 8 * 1024 * 1024

/**
 * Serves webhooks over TLS and registers them. The certificate is made here and renewed after two thirds of its year; API servers verify it by the
 * configuration, which names the new one before it is shown.
 */
export async function serveWebhooks(webhooks: readonly Webhook[], options: ServeWebhooksOptions): Promise<ServedWebhooks> {
  const { name, client, clock, log = silentLog, host = "127.0.0.1", port = 0, service } = options
  const names = service === undefined ? [host] : [`${service.name}.${service.namespace}.svc`, `${service.name}.${service.namespace}`]
  const made = () => selfSigned({ names, now: clock.now(), lifetime: year })
  let current = made()
  const { createServer } = process.getBuiltinModule("node:https")
  const handler = webhookHandler(webhooks, { log })
  const server = createServer({ cert: current.certificate, key: current.key }, (request, response) => {
    answer(handler, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve)).catch((cause: unknown) => {
    throw new PilothouseError("INVALID", `could not listen on ${host}:${port} for webhooks; give another host or port`, { cause })
  })
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  const address = (...trusted: readonly SelfSigned[]): WebhookAddress => {
    const caBundle = trusted.map(({ certificate }) => certificate).join("")
    return service === undefined ? { url, caBundle } : { service, caBundle }
  }
  const renew = async () => {
    const next = made()
    await registerWebhooks(client, webhooks, { name, address: address(current, next) })
    server.setSecureContext({ cert: next.certificate, key: next.key })
    current = next
  }
  const renewal = keepRenewed(
    clock,
    () => current,
    () => renew().catch((error: unknown) => log.error("certificate not renewed", { error: messageOf(error) })),
  )
  const close = async () => {
    renewal[Symbol.dispose]()
    server.closeAllConnections()
    await new Promise<void>((closed) => server.close(() => closed()))
  }
  await registerWebhooks(client, webhooks, { name, address: address(current) }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { url, [Symbol.asyncDispose]: close }
}

const day = 24 * 60 * 60_000

/** Checks once a day: a timer for months would not see that the machine slept. */
function keepRenewed(clock: Clock, current: () => SelfSigned, renew: () => Promise<void>): Disposable {
  let timer = clock.timer(day, "renewal of the certificate of webhooks", check)
  function check(): void {
    const isDue = current().expires - clock.now() < year / 3
    timer = clock.timer(day, "renewal of the certificate of webhooks", check)
    if (isDue) void renew()
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
}

async function answer(handler: Transport, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxReview) return void response.writeHead(413).end()
    chunks.push(chunk)
  }
  const path = URL.parse(request.url ?? "/", "https://host")?.pathname ?? "/"
  const body = { type: "bytes", bytes: Buffer.concat(chunks), contentType: "application/json" } as const
  const { status, headers, body: answered } = await handler({ verb: request.method as Verb, path, query: {}, headers: {}, body })
  response.writeHead(status, headers)
  response.end(answered.type === "bytes" ? answered.bytes : undefined)
}
