// Stands in for etcd where a test harness starts one for its API server, which keeps its objects itself: answers that it is healthy, and keeps nothing.
import { createServer } from "node:http"

const flag = "--listen-client-urls"
const args = process.argv.slice(2)
const at = args.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
const value = args[at] === flag ? args[at + 1] : args[at]?.slice(flag.length + 1)
const answers = { "/version": { etcdserver: "3.6.0", etcdcluster: "3.6.0" } }
const servers = (value ?? "http://127.0.0.1:2379").split(",").map((address) => {
  const { hostname, port } = new URL(address)
  const server = createServer(({ url = "" }, response) => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(answers[url] ?? { health: "true", reason: "" }))
  })
  server.on("error", (error) => {
    console.error(`etcd: expected to listen at ${address}, found ${error.message}`)
    process.exit(1)
  })
  return server.listen(Number(port), hostname.replace(/^\[|\]$/g, ""))
})
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  })
}
