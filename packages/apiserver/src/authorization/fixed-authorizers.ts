import { anonymous, type Identity, privilegedGroup } from "../authentication/identity.ts"
import { type Authorizer, isResource, noOpinion, noRules, type Rules } from "./authorizer.ts"

/** Health and version are public. */
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

/** The mode AlwaysAllow: an authenticated user may do everything, an anonymous one may read what is public. */
export const allowAuthenticated: Authorizer = {
  authorize: (who, what) => ({ allowed: isKnown(who) || (!isResource(what) && what.verb === "get" && publicPaths.test(what.path)) }),
  rules: (who) => (isKnown(who) ? everything : open),
}

/** A review names users without groups: only those that are said to be unauthenticated are so. */
function isKnown({ name, groups }: Identity): boolean {
  return name !== anonymous.name && !groups.includes("system:unauthenticated")
}

/** Allows its members everything, before every other authorizer. */
export const privilegedGroupAuthorizer: Authorizer = {
  authorize: (who) => (who.groups.includes(privilegedGroup) ? { allowed: true } : noOpinion),
  rules: () => noRules,
}

/** Refuses everything that no authorizer before it allows. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rules: () => noRules,
}
