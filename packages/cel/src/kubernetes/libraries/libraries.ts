import type { Library } from "../../environment/environment.ts"
import { cidrLibrary, ipLibrary } from "./addresses.ts"
import { authorizerLibrary } from "./authorizers.ts"
import { formatLibrary } from "./formats.ts"
import { kubernetesLists } from "./lists.ts"
import { quantityLibrary } from "./quantities.ts"
import { regexLibrary } from "./regex.ts"
import type { Pattern } from "./regular-expressions.ts"
import { semverLibrary } from "./semver.ts"
import { urlLibrary } from "./urls.ts"

/** Returns Kubernetes' own libraries. That of JSON patches is added for mutating policies alone. */
export function kubernetesLibraries(compile: (pattern: string) => Pattern): readonly Library[] {
  return [
    urlLibrary,
    regexLibrary(compile),
    kubernetesLists,
    quantityLibrary,
    ipLibrary,
    cidrLibrary,
    formatLibrary,
    semverLibrary,
    authorizerLibrary,
  ]
}
