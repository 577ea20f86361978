import { type Cidr, parseCidr } from "@pilothouse/api/net"
import { durationFlag, switchFlag, textFlag } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { cloudDescriptor, needed } from "../cloud-descriptor.ts"
import { routeController } from "./controller.ts"

/** Off unless nodes get ranges for their pods: then there is something to route. */
export const routeDescriptor = cloudDescriptor({
  name: "node-route-controller",
  aliases: ["route"],
  flags: {
    "allocate-node-cidrs": switchFlag(false, "whether nodes are given ranges of addresses for their pods"),
    "configure-cloud-routes": switchFlag(true, "whether the cloud is told where these ranges are"),
    "cluster-cidr": textFlag("", "the ranges of all pods, with commas between them"),
    "route-reconciliation-period": durationFlag("10s", "how often the routes in the cloud are compared with the nodes"),
  },
  create(set, { provider, clock, metrics }) {
    if (!set["allocate-node-cidrs"] || !set["configure-cloud-routes"]) return []
    const routes = needed(provider, "routes", "routes")
    return routeController({
      routes,
      clock,
      metrics,
      clusterRanges: ranges(set["cluster-cidr"]),
      period: set["route-reconciliation-period"],
    })
  },
})

function ranges(text: string): readonly Cidr[] {
  return text.split(",").map((part) => {
    const range = parseCidr(part.trim())
    if (range !== undefined) return range
    throw new PilothouseError("INVALID", `--cluster-cidr: expected ranges such as 10.244.0.0/16, found "${text}"`)
  })
}
