import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureServingCertificate } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"

/** An AdmissionReview as it comes. */
export interface Review {
  readonly apiVersion: string
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string; readonly operation: string }
}

/** What a program answers: an AdmissionReview of this response, or exactly these bytes. */
export type Answer =
  | { readonly response: object; readonly review?: object }
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string }
  | "hang"
  | "hang up"

/** `call` counts from 0 for each server. */
export type Program = (review: Review, call: number) => Answer

export interface WebhookServer extends AsyncDisposable {
  readonly port: number
  /** The PEM that its certificate is verified with. */
  readonly ca: string
  /** The reviews that came to a path. */
  reviews(path: string): readonly Review[]
}

/** Webhook programs behind one TLS port on the loopback, by the last part of their path: "/ours/deny". */
export async function startWebhookServer(programs: ReadonlyMap<string, Program>): Promise<WebhookServer> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-webhooks-"))
  const { certificate, key } = await ensureServingCertificate({
    files: systemFiles,
    clock: systemClock,
    random: systemRandom(),
    directory,
    name: "webhooks",
  })
  const seen = new Map<string, Review[]>()
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const path = new URL(request.url ?? "/", "https://host").pathname
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review
    const calls = seen.get(path) ?? []
    seen.set(path, [...calls, review])
    const answer = programs.get(path.slice(path.lastIndexOf("/") + 1))!(review, calls.length)
    if (answer === "hang") return
    if (answer === "hang up") return void request.socket.destroy()
    if ("body" in answer) {
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers })
      return void response.end(answer.body)
    }
    const { apiVersion } = review
    const whole = { apiVersion, kind: "AdmissionReview", response: { uid: review.request.uid, ...answer.response }, ...answer.review }
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify(whole))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    port: (server.address() as AddressInfo).port,
    ca: certificate,
    reviews: (path) => seen.get(path) ?? [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => server.close(() => closed()))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
