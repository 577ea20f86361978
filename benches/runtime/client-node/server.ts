// A program: an API server that has 10,000 pods and nothing else. Says its port on standard output; ends with its parent.
import { createServer, type ServerResponse } from "node:http"
import { podList, podNumber } from "../sample-pods.ts"

const [pods, events] = process.argv.slice(2).map(Number) as [number, number]
const list = podList(pods)
const changes = Buffer.from(Array.from({ length: events }, (_, at) => changeOf(at)).join(""))
const watches = new Set<ServerResponse>()

const server = createServer((request, response) => {
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
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(typeof address === "object" ? address?.port : "")
})
process.on("disconnect", () => process.exit())

function changeOf(at: number): string {
  const pod = podNumber(at % pods)
  const object = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(2_000_000 + at) } }
  return `${JSON.stringify({ type: "MODIFIED", object })}\n`
}
