import { descriptor } from "../descriptor.ts"
import { countFlag, switchFlag } from "../flag.ts"
import { garbageCollectorController } from "./controller.ts"

export const garbageCollectorDescriptor = descriptor({
  name: "garbage-collector-controller",
  aliases: ["garbagecollector"],
  flags: {
    "enable-garbage-collector": switchFlag(true, "whether what nobody owns any more is deleted"),
    "concurrent-gc-syncs": countFlag(20, "objects worked on at once"),
  },
  create: (set, { metrics }) =>
    set["enable-garbage-collector"] ? garbageCollectorController({ metrics, concurrentSyncs: set["concurrent-gc-syncs"] }) : [],
})
