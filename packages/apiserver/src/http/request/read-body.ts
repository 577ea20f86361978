import { bodyLimit } from "../../body/body-limit.ts"
import type { Exchange } from "../exchange.ts"

/** A client still sending gets this much read and thrown away, so that it comes to read its refusal; then it is cut off. */
const discardLimit = 32 * 1024 * 1024

/** All bytes of the body. Rejects when the client goes away in the middle. */
export function readBody({ request }: Exchange): Promise<Uint8Array | "too-large"> {
  if (Number(request.headers["content-length"] ?? 0) > bodyLimit) {
    discardBody(request)
    return Promise.resolve("too-large")
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= bodyLimit) return void chunks.push(chunk)
      request.off("data", take)
      discardBody(request)
      resolve("too-large")
    }
    request.on("data", take)
    // Every request is closed in the end: an error made for each, with its stack, was 4 % of a profile of creates.
    const left = () => reject(new Error("the client went away while it sent its body"))
    request.on("end", () => {
      request.off("close", left)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    request.on("error", reject)
    request.on("close", left)
  })
}

/** For whoever is refused whatever it sends. */
export function discardBody(request: Exchange["request"]): void {
  let rest = discardLimit
  request.on("data", (chunk: Buffer) => {
    rest -= chunk.length
    if (rest < 0) request.destroy()
  })
}
