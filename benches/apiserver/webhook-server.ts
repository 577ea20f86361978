import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { ensureServingCertificate } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"

/** A review as a webhook of a bench reads it. */
export interface BenchReview {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion?: string; readonly objects?: readonly BenchObject[] }
}

export interface BenchObject {
  readonly apiVersion: string
  readonly spec: Readonly<Record<string, unknown>>
}

export interface WebhookServer extends AsyncDisposable {
  readonly url: string
  readonly caBundle: string
}

/** A webhook on the loopback in this process, the same for both sides. */
export async function webhookServer(directory: string, respond: (review: BenchReview) => object): Promise<WebhookServer> {
  const seams = { files: systemFiles, clock: systemClock, random: systemRandom(), directory, name: "webhooks" }
  const { certificate, key } = await ensureServingCertificate(seams)
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const review = JSON.parse(Buffer.concat(chunks).toString()) as BenchReview
    const { apiVersion, kind } = review
    const answer = { apiVersion, kind, response: { uid: review.request.uid, ...respond(review) } }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/review`,
    caBundle: Buffer.from(certificate).toString("base64"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}
