import { pathOf } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import { type Body, type Frame, PilothouseError, type Query, type Transport } from "@pilothouse/seams"

/** Prints the log of a pod as it arrives; rejects with the server's words where it is refused. */
export async function printPodLog(
  transport: Transport,
  pod: { readonly name: string; readonly namespace?: string },
  query: Query,
  print: (bytes: Uint8Array) => void,
): Promise<void> {
  const path = pathOf(pods, { ...pod, subresource: "log" })
  const { status, body } = await transport({ verb: "GET", path, query, headers: { accept: "*/*" } })
  if (body.type === "stream") {
    for await (const frame of body.frames) print(bytesOf(frame))
  } else {
    const bytes = bytesOf(body)
    if (status >= 400) throw new PilothouseError("INVALID", refusal(new TextDecoder().decode(bytes)))
    print(bytes)
  }
}

/** In process a text, or a Status, crosses as a value; over HTTP a log without a line is no value at all. */
function bytesOf(part: Body | Frame): Uint8Array {
  if (part.type === "bytes") return part.bytes
  if (part.value === undefined) return new Uint8Array()
  return Buffer.from(typeof part.value === "string" ? part.value : JSON.stringify(part.value))
}

/** A Status has its sentence in `message`. */
function refusal(answer: string): string {
  const { message } = (answer.startsWith("{") ? JSON.parse(answer) : {}) as { readonly message?: string }
  return message ?? answer
}
