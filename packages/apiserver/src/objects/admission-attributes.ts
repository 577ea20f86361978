import type { AdmissionAttributes } from "../admission/plugin.ts"
import type { Call } from "../server/call.ts"

type About = Pick<AdmissionAttributes, "operation" | "object" | "old"> &
  Partial<Pick<AdmissionAttributes, "name" | "kind" | "managedFields" | "deleteOptions">>

/** Returns what admission decides on: a request, and what it is about. The name is the request's where nothing else is said. */
export function admissionAttributes(call: Call, about: About): AdmissionAttributes {
  const { server, identity, resource, subresource, namespace, name, dryRun, warnings } = call
  return { server, request: call, identity, resource, subresource, namespace, name, dryRun, warnings, ...about }
}
