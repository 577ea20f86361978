import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { jobController } from "./controller.ts"

export const jobDescriptor = descriptor({
  name: "job-controller",
  aliases: ["job"],
  flags: {
    "concurrent-job-syncs": countFlag(5, "Jobs worked on at once"),
  },
  create: (set, { metrics }) => jobController({ metrics, concurrentSyncs: set["concurrent-job-syncs"] }),
})
