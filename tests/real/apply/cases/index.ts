import type { Step } from "../step.ts"
import { bodies } from "./bodies.ts"
import { ofBytes } from "./bytes.ts"
import { clusterWide } from "./cluster-wide.ts"
import { configMaps } from "./config-maps.ts"
import { entries } from "./entries.ts"
import { lastApplied } from "./last-applied.ts"
import { lists } from "./lists.ts"
import { manyManagers } from "./many-managers.ts"
import { mismatches } from "./mismatches.ts"
import { parameters } from "./parameters.ts"
import { patchBodies } from "./patch-bodies.ts"
import { pods } from "./pods.ts"
import { scale } from "./scale.ts"
import { services } from "./services.ts"
import { variantForms } from "./variant-forms.ts"
import { versions } from "./versions.ts"
import { workloads } from "./workloads.ts"

export const cases: Readonly<Record<string, readonly Step[]>> = {
  "create, update, patch and apply of a ConfigMap": configMaps,
  "parameters and User-Agent": parameters,
  "bodies of apply": bodies,
  "bytes that are no text": ofBytes,
  "bodies of patches and deletes": patchBodies,
  "managedFields in bodies": entries,
  "more than ten managers": manyManagers,
  "last applied by kubectl": lastApplied,
  "workloads and services": workloads,
  "Services that begin with their status, and IP families": services,
  "atomic, set and keyed lists": lists,
  "pods and their subresources": pods,
  scale,
  "values that do not fit, and objects that are not there": mismatches,
  "values that are another in the memory of Go": variantForms,
  "versions of one kind": versions,
  "nodes, namespaces and certificates": clusterWide,
}
