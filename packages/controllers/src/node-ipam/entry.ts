import { PilothouseError } from "@pilothouse/seams"
import { descriptor } from "../descriptor.ts"
import { countFlag, switchFlag, textFlag } from "../flag.ts"
import { nodeIpamController } from "./controller.ts"

export const nodeIpamDescriptor = descriptor({
  name: "node-ipam-controller",
  aliases: ["nodeipam"],
  flags: {
    "allocate-node-cidrs": switchFlag(false, "whether nodes without pod addresses are given a block of --cluster-cidr"),
    "cluster-cidr": textFlag("", "pod addresses of the cluster: one block, or one of each family with a comma"),
    "cidr-allocator-type": textFlag("RangeAllocator", "RangeAllocator is the only one that there is"),
    "node-cidr-mask-size": countFlag(0, "mask of a node's block in a cluster of one family; 0: 24 for IPv4, 64 for IPv6", 0),
    "node-cidr-mask-size-ipv4": countFlag(0, "mask of a node's IPv4 block; 0: 24", 0),
    "node-cidr-mask-size-ipv6": countFlag(0, "mask of a node's IPv6 block; 0: 64", 0),
    "service-cluster-ip-range": textFlag("", "addresses of Services, which no node gets should they lie within --cluster-cidr"),
  },
  create(set, { metrics }) {
    if (!set["allocate-node-cidrs"]) return []
    if (set["cidr-allocator-type"] !== "RangeAllocator") {
      throw new PilothouseError("INVALID", `--cidr-allocator-type: expected RangeAllocator, found "${set["cidr-allocator-type"]}"`)
    }
    return nodeIpamController({
      metrics,
      clusterCidr: set["cluster-cidr"],
      maskSize: set["node-cidr-mask-size"],
      maskSizeIpv4: set["node-cidr-mask-size-ipv4"],
      maskSizeIpv6: set["node-cidr-mask-size-ipv6"],
      serviceRange: set["service-cluster-ip-range"],
    })
  },
})
