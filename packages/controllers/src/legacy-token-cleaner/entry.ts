import { descriptor } from "../descriptor.ts"
import { durationFlag } from "../flag.ts"
import { legacyTokenCleanerController } from "./controller.ts"

export const legacyTokenCleanerDescriptor = descriptor({
  name: "legacy-serviceaccount-token-cleaner-controller",
  aliases: ["legacy-service-account-token-cleaner"],
  flags: {
    "legacy-service-account-token-clean-up-period": durationFlag(
      "8760h",
      "how long a token that was made for a service account must be unused before it is invalid, and invalid before it is deleted",
    ),
  },
  create: (set) => legacyTokenCleanerController({ cleanUpPeriod: set["legacy-service-account-token-clean-up-period"] }),
})
