import type { TransportResponse } from "@pilothouse/seams"

/** An answer instead of a stream: plain text, as kubelets have it. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly response: TransportResponse

  constructor(status: number, message: string) {
    super(message)
    const contentType = "text/plain; charset=utf-8"
    this.response = {
      status,
      headers: { "content-type": contentType, ...(status === 429 && { "retry-after": "60" }) },
      body: { type: "bytes", bytes: Buffer.from(message), contentType },
    }
  }
}

export function refusal(status: number, message: string): Refusal {
  return new Refusal(status, message)
}
