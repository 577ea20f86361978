import type { Library } from "../../environment/environment.ts"
import { cidrLibrary, ipLibrary } from "./addresses.ts"
import { formatLibrary } from "./formats.ts"
import { kubernetesLists } from "./lists.ts"
import { quantityLibrary } from "./quantities.ts"
import { regexLibrary } from "./regex.ts"
import type { Pattern } from "./regular-expressions.ts"
import { semverLibrary } from "./semver.ts"
import { jsonPatchLibrary, urlLibrary } from "./urls.ts"

/** Returns Kubernetes' own libraries, except the authorizer, which needs one. */
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
    jsonPatchLibrary,
  ]
}
