import { descriptor } from "../descriptor.ts"
import { countFlag, switchFlag } from "../flag.ts"
import { tokensController } from "./controller.ts"

export const tokensDescriptor = descriptor({
  name: "serviceaccount-token-controller",
  aliases: ["serviceaccount-token"],
  flags: {
    "concurrent-serviceaccount-token-syncs": countFlag(5, "token Secrets and accounts looked after at once"),
    "service-account-token-for-every-account": switchFlag(false, "make a token Secret for every account, as clusters before 1.24 had"),
  },
  needs: ["signToken"],
  create: (set, { signToken, rootCa }) => {
    if (signToken === undefined) return []
    const everyAccount = set["service-account-token-for-every-account"]
    return tokensController({ sign: signToken, rootCa, concurrentSyncs: set["concurrent-serviceaccount-token-syncs"], everyAccount })
  },
})
