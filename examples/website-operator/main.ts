// A Website that comes, grows and goes in a cluster inside this process: npm run example website-operator
import { join } from "node:path"
import { pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { story } from "../story.ts"
import { websiteOperator } from "./controller.ts"
import { type Website, websites } from "./websites.ts"

const running: Cluster = await cluster({
  crds: [join(import.meta.dirname, "crds")],
  extra: [websiteOperator],
  log: story("website-operator", () => running.clock.now()),
})
await using _running = running

for (const replicas of [1, 3]) {
  const blog: Website = {
    apiVersion: "example.com/v1",
    kind: "Website",
    metadata: { name: "blog" },
    spec: { image: "example/blog:1", replicas },
  }
  await running.apply(blog)
  await running.advance("1m")
}
await running.client.delete(websites, "default/blog")
await running.advance("1m")
console.log(`${(await running.list(pods)).length} pods are left`)
