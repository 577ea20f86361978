import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { PilothouseError } from "@pilothouse/seams"
import { type Controller, declaredKinds } from "../controller/controller.ts"
import type { ResolveKind } from "../controller/execute.ts"

/** The kinds the controllers declare, and all the kinds of Kubernetes behind them. */
export function resolveKinds(controllers: readonly Controller[]): ResolveKind {
  const declared = new Map<string, Descriptor>()
  for (const kind of controllers.flatMap(declaredKinds)) declared.set(`${apiVersionOf(kind)}/${kind.kind}`, kind)
  return ({ apiVersion, kind }) => {
    const [version = "", group = ""] = apiVersion.split("/").reverse()
    const found = declared.get(`${apiVersion}/${kind}`) ?? descriptorFor({ group, version, kind })
    if (found !== undefined) return found
    throw new PilothouseError("INVALID", `expected a known kind, found ${apiVersion} ${kind}; declare its descriptor with the controller`)
  }
}
