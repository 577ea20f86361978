import { type Pod } from "@pilothouse/api/core/v1"
import { type Body, type Transport, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { type Client, createClient } from "../client.ts"

export interface Scripted {
  readonly client: Client
  readonly requests: readonly TransportRequest[]
}

/** A client of a server that answers with these, one after the other; the last one for ever. */
export function scripted(...answers: readonly (object | TransportResponse)[]): Scripted {
  const requests: TransportRequest[] = []
  const transport: Transport = async (request) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {}
    requests.push(request)
    return "status" in answer && "headers" in answer ? (answer as TransportResponse) : { status: 200, headers: {}, body: valueBody(answer) }
  }
  return { client: createClient(transport, { userAgent: "test" }), requests }
}

export function text(status: number, body: string, contentType = "text/html", headers = {}): TransportResponse {
  return { status, headers, body: { type: "bytes", bytes: new TextEncoder().encode(body), contentType } satisfies Body }
}

export const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: { containers: [] },
}

export const applied = { metadata: { name: "web", namespace: "default" }, spec: { containers: [{ name: "c" }] } }
