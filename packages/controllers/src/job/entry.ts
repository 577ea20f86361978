import { countFlag } from "../flag.ts"
import { loop } from "../loop.ts"
import { jobController } from "./controller.ts"

export const jobLoop = loop({
  name: "job-controller",
  aliases: ["job"],
  flags: {
    "concurrent-job-syncs": countFlag(5, "Jobs worked on at once"),
  },
  create: (set, { metrics }) => jobController({ metrics, concurrentSyncs: set["concurrent-job-syncs"] }),
})
