import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { statefulSetController } from "./controller.ts"

export const statefulSetDescriptor = descriptor({
  name: "statefulset-controller",
  aliases: ["statefulset"],
  flags: {
    "concurrent-statefulset-syncs": countFlag(5, "StatefulSets worked on at once"),
  },
  create: (set, { metrics }) => statefulSetController({ metrics, concurrentSyncs: set["concurrent-statefulset-syncs"] }),
})
