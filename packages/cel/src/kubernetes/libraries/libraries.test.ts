import { describeOverloads } from "../../testing/overload-suite.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { AuthorizerValue, authorizerType, type DecideAuthorization } from "./authorizers.ts"
import { kubernetesLibraries } from "./libraries.ts"
import { patternCompiler } from "./regular-expressions.ts"
import { jsonPatchLibrary } from "./urls.ts"

/** Allows user "u" to get and list, and says in its reason what it decided on. */
const decide: DecideAuthorization = ({ name: user }, what) => {
  if (what.verb === "fail") return { allowed: false, error: "no answer" }
  const allowed = user === "u" && what.verb !== "delete"
  if ("path" in what) return { allowed, reason: `${what.verb} ${what.path}` }
  const { group, resource, subresource, namespace, name, fieldSelector, labelSelector } = what
  const parts = [
    `${what.verb} ${group} ${resource}${subresource && `/${subresource}`}`,
    namespace && `in ${namespace}`,
    name && `named ${name}`,
    fieldSelector && `where ${fieldSelector}`,
    labelSelector && `with ${labelSelector}`,
  ]
  return { allowed, reason: parts.filter(Boolean).join(" ") }
}

describeOverloads(
  [...kubernetesLibraries(patternCompiler()), jsonPatchLibrary],
  kubernetesEnvironment(jsonPatchLibrary).extend({ variables: { authorizer: authorizerType } }),
  { authorizer: new AuthorizerValue({ name: "u", groups: [] }, decide) },
)
