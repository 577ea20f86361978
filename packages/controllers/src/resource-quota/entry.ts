import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { resourceQuotaController } from "./controller.ts"

export const resourceQuotaDescriptor = descriptor({
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  flags: {
    "concurrent-resource-quota-syncs": countFlag(5, "quotas counted at once"),
    "resource-quota-sync-period": durationFlag("5m", "how often every quota is counted again; 0 for never"),
  },
  create: (set) =>
    resourceQuotaController({ concurrentSyncs: set["concurrent-resource-quota-syncs"], syncPeriod: set["resource-quota-sync-period"] }),
})
