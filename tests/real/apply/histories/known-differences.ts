import { isRecord } from "../../api/objects/object.ts"
import type { ApiAnswer } from "../../api-client.ts"
import { answerDifference } from "../answers.ts"
import type { Operation } from "./operation.ts"

/** Whether two answers differ in a way that docs/parity.md names. What comes after it is not compared: the objects are no longer the same. */
export function isKnown(kind: string, operation: Operation, theirs: ApiAnswer, own: ApiAnswer): boolean {
  if (kind === "Service") return operation.subresource === "status" && own.status === 404 && theirs.status !== 404
  if (kind === "NetworkPolicy") return differsInGenerationAlone(theirs, own)
  return kind === "LimitRange" && differsInManagersAlone(theirs, own)
}

/** To Go an empty map and none are two specs of a policy that reads the same. */
function differsInGenerationAlone(theirs: ApiAnswer, own: ApiAnswer): boolean {
  return answerDifference(theirs, withMetadata(own, { generation: metadataIn(theirs)["generation"] })) === undefined
}

/** A list that is owned as a whole counts as changed when one of its quantities is written in another form than the canonical one. */
function differsInManagersAlone(theirs: ApiAnswer, own: ApiAnswer): boolean {
  return answerDifference(theirs, withMetadata(own, { managedFields: metadataIn(theirs)["managedFields"] })) === undefined
}

function metadataIn({ value }: ApiAnswer): Readonly<Record<string, unknown>> {
  return isRecord(value) && isRecord(value["metadata"]) ? value["metadata"] : {}
}

function withMetadata(answer: ApiAnswer, metadata: Readonly<Record<string, unknown>>): ApiAnswer {
  return isRecord(answer.value) ? { ...answer, value: { ...answer.value, metadata: { ...metadataIn(answer), ...metadata } } } : answer
}
