import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { cronJobController } from "./controller.ts"

export const cronJobDescriptor = descriptor({
  name: "cronjob-controller",
  aliases: ["cronjob"],
  flags: {
    "concurrent-cron-job-syncs": countFlag(5, "CronJobs worked on at once"),
  },
  create: (set, { metrics }) => cronJobController({ metrics, concurrentSyncs: set["concurrent-cron-job-syncs"] }),
})
