import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { type Condition, isConditionTrue } from "./conditions.ts"
export function acceptNames(definition: CustomResourceDefinition, _others: readonly CustomResourceDefinition[]) {
  const namesAccepted: Condition = { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
  const done = isConditionTrue(definition, "Established")
  const established: Condition = {
    type: "Established",
    status: done ? "True" : "False",
    reason: done ? "InitialNamesAccepted" : "Installing",
    message: "the initial names have been accepted",
  }
  return { acceptedNames: definition.spec.names, namesAccepted, established }
}
