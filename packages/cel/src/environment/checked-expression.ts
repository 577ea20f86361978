import type { Expression } from "../syntax/ast.ts"
import type { Type } from "../types/types.ts"
import type { Overload } from "./overload.ts"

/** What a name or a call of the tree was resolved to. */
export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly type: Type }
  | { readonly kind: "overloads"; readonly overloads: readonly Overload[]; readonly qualified: boolean }

/** A tree with the type of every node and what its names mean. */
export interface CheckedExpression {
  readonly expression: Expression
  typeOf(node: Expression): Type
  reference(node: Expression): Reference | undefined
}
