import { anonymous, type Identity } from "../identity.ts"
import { type Authorizer, isResource, type Rules } from "./authorizer.ts"

/** Health and version are for everybody. */
export const publicPaths = /^\/(healthz|livez|readyz|version)(\/|$)/

const everything: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
}
const open: Rules = {
  resourceRules: [],
  nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"] }],
  incomplete: false,
}

/** Everything for whoever is known, until there are rules; for all others what is public. */
export const allowAuthenticated: Authorizer = {
  authorize: (who, what) => ({ allowed: isKnown(who) || (!isResource(what) && what.verb === "get" && publicPaths.test(what.path)) }),
  rules: (who) => (isKnown(who) ? everything : open),
}

/** A review names users without saying that they have come in: only the unknown are said to be so. */
function isKnown({ name, groups }: Identity): boolean {
  return name !== anonymous.name && !groups.includes("system:unauthenticated")
}
