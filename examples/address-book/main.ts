// Services that come, change and lose their page in a cluster inside this process: npm run example address-book
import { configMaps, type Service } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { story } from "../story.ts"
import { addressBook } from "./controller.ts"

const running: Cluster = await cluster({
  nodes: 0,
  controllers: [],
  extra: [addressBook],
  log: story("address-book", () => running.clock.now()),
})
await using _running = running

for (const port of [80, 8080]) {
  const web: Service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port }] } }
  await running.apply(web)
  await running.settled()
}
await running.client.delete(configMaps, "default/web-address")
await running.settled()
console.log(`web has the ports ${(await running.client.get(configMaps, "default/web-address")).data?.ports}`)
