/** A part of a template: text that is copied, or what stands in braces. */
export type TemplatePart = TextNode | PathNode

/** What stands in one pair of braces: steps that are taken one after the other. */
export interface PathNode {
  readonly type: "path"
  readonly steps: readonly Step[]
}

/** One step of a parsed JSONPath template, as the nodes of client-go's jsonpath parser. */
export type Step =
  | TextNode
  | FieldNode
  | SliceNode
  | FilterNode
  | UnionNode
  | LiteralNode
  | IdentifierNode
  | { readonly type: "wildcard" }
  | { readonly type: "recursive" }

export interface TextNode {
  readonly type: "text"
  readonly text: string
}

export interface FieldNode {
  readonly type: "field"
  readonly name: string
}

/** Items of a list. "[1]" is the slice from 1 to 2. */
export interface SliceNode {
  readonly type: "slice"
  readonly start: number | undefined
  readonly end: number | undefined
  readonly step: number | undefined
  /** Whether the end follows from the start: "[-1]" ends at 0, which stands for the end of the list. */
  readonly single: boolean
}

/** Items of a list for which a comparison holds, or a path finds something. */
export interface FilterNode {
  readonly type: "filter"
  readonly left: PathNode
  /** "exists", or what stands between both sides, which may be no operator at all. */
  readonly operator: string
  readonly right: PathNode
}

export interface UnionNode {
  readonly type: "union"
  readonly paths: readonly PathNode[]
}

/** A number or a boolean. "3" and "3.0" are of different types in Go. */
export interface LiteralNode {
  readonly type: "literal"
  readonly value: number | bigint | boolean
  readonly float: boolean
}

/** "range", "end", or a word that means nothing. */
export interface IdentifierNode {
  readonly type: "identifier"
  readonly name: string
}
