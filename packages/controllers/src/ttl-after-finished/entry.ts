import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { ttlAfterFinishedController } from "./controller.ts"

export const ttlAfterFinishedDescriptor = descriptor({
  name: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  flags: {
    "concurrent-ttl-after-finished-syncs": countFlag(5, "Jobs worked on at once"),
  },
  create: (set, { metrics }) => ttlAfterFinishedController({ metrics, concurrentSyncs: set["concurrent-ttl-after-finished-syncs"] }),
})
