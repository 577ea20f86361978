import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { namespaceController } from "./controller.ts"

export const namespaceDescriptor = descriptor({
  name: "namespace-controller",
  aliases: ["namespace"],
  flags: {
    "concurrent-namespace-syncs": countFlag(10, "namespaces worked on at once"),
    "namespace-deletion-grace": durationFlag("5s", "how long every API server may take to see that a namespace goes; 0 where there is one"),
    "namespace-sync-period": durationFlag("5m", "how long a namespace that is deleted waits at most for its next look"),
  },
  create: (set) =>
    namespaceController({
      concurrentSyncs: set["concurrent-namespace-syncs"],
      syncPeriod: set["namespace-sync-period"],
      deletionGrace: set["namespace-deletion-grace"],
    }),
})
