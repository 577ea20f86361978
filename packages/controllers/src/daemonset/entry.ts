import { countFlag } from "../flag.ts"
import { loop } from "../loop.ts"
import { daemonSetController } from "./controller.ts"

export const daemonSetLoop = loop({
  name: "daemonset-controller",
  aliases: ["daemonset"],
  flags: {
    "concurrent-daemonset-syncs": countFlag(2, "DaemonSets worked on at once"),
  },
  create: (set, { metrics }) => daemonSetController({ metrics, concurrentSyncs: set["concurrent-daemonset-syncs"] }),
})
