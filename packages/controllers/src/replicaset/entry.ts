import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { replicaSetController } from "./controller.ts"

export const replicaSetDescriptor = descriptor({
  name: "replicaset-controller",
  aliases: ["replicaset"],
  flags: {
    "concurrent-replicaset-syncs": countFlag(5, "ReplicaSets worked on at once"),
  },
  create: (set, { metrics }) => replicaSetController({ metrics, concurrentSyncs: set["concurrent-replicaset-syncs"] }),
})
