// A program: an API server that has 10,000 pods and nothing else. Says its port on standard output; ends with its parent.
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createSecureServer } from "node:http2"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock as clock, systemFiles as files, systemRandom } from "@pilothouse/seams/system"
import { podList, podNumber } from "../sample-pods.ts"

const [scheme, ...counts] = process.argv.slice(2)
const [pods, events] = counts.map(Number) as [number, number]
const list = podList(pods)
const changes = Buffer.from(Array.from({ length: events }, (_, at) => changeOf(at)).join(""))
const watches = new Set<ServerResponse>()

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://host")
  if (url.pathname === "/go") {
    for (const watch of watches) watch.write(changes)
    response.end()
  } else if (url.searchParams.has("watch")) {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders()
    watches.add(response)
    response.on("close", () => watches.delete(response))
  } else {
    response.writeHead(200, { "content-type": "application/json", "content-length": list.length }).end(list)
  }
}

const server = scheme === "https" ? await secureServer() : createServer(answer)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(typeof address === "object" ? address?.port : "")
})
process.on("disconnect", () => process.exit())

/** HTTP/2 for who can, HTTP/1.1 for the others: as a real API server. */
async function secureServer() {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-bench-"))
  const made = await ensureCertificates({ files, clock, random: systemRandom(), directory, serviceIp: "10.0.0.1" })
  rmSync(directory, { recursive: true })
  const { certificate: cert, key } = made.server
  // Their types differ; what is used of them does not.
  return createSecureServer({ cert, key, allowHTTP1: true }, answer as never)
}

function changeOf(at: number): string {
  const pod = podNumber(at % pods)
  const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(2_000_000 + at) } }
  return `${JSON.stringify({ type: "MODIFIED", object })}\n`
}
