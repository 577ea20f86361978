// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"

export interface CustomResourceColumnDefinition {
  readonly description?: string
  readonly format?: string
  readonly jsonPath: string
  readonly name: string
  readonly priority?: number
  readonly type: string
}

export interface CustomResourceConversion {
  readonly strategy: string
  readonly webhook?: WebhookConversion
}

export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1"
  readonly kind: "CustomResourceDefinition"
  readonly metadata: ObjectMeta
  readonly spec: CustomResourceDefinitionSpec
  readonly status?: CustomResourceDefinitionStatus
}

export interface CustomResourceDefinitionCondition {
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly observedGeneration?: Int64
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface CustomResourceDefinitionList {
  readonly apiVersion: "apiextensions.k8s.io/v1"
  readonly kind: "CustomResourceDefinitionList"
  readonly metadata: ListMeta
  readonly items: readonly CustomResourceDefinition[]
}

export interface CustomResourceDefinitionNames {
  readonly categories?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly singular?: string
}

export interface CustomResourceDefinitionSpec {
  readonly conversion?: CustomResourceConversion
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly preserveUnknownFields?: boolean
  readonly scope: string
  readonly versions: readonly CustomResourceDefinitionVersion[]
}

export interface CustomResourceDefinitionStatus {
  readonly acceptedNames?: CustomResourceDefinitionNames
  readonly conditions?: readonly CustomResourceDefinitionCondition[]
  readonly observedGeneration?: Int64
  readonly storedVersions?: readonly string[]
}

export interface CustomResourceDefinitionVersion {
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly name: string
  readonly schema?: CustomResourceValidation
  readonly selectableFields?: readonly SelectableField[]
  readonly served: boolean
  readonly storage: boolean
  readonly subresources?: CustomResourceSubresources
}

export interface CustomResourceSubresourceScale {
  readonly labelSelectorPath?: string
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
}

export type CustomResourceSubresourceStatus = Readonly<Record<string, never>>

export interface CustomResourceSubresources {
  readonly scale?: CustomResourceSubresourceScale
  readonly status?: CustomResourceSubresourceStatus
}

export interface CustomResourceValidation {
  readonly openAPIV3Schema?: JSONSchemaProps
}

export interface ExternalDocumentation {
  readonly description?: string
  readonly url?: string
}

export type JSON = unknown

export interface JSONSchemaProps {
  readonly $ref?: string
  readonly $schema?: string
  readonly additionalItems?: JSONSchemaPropsOrBool
  readonly additionalProperties?: JSONSchemaPropsOrBool
  readonly allOf?: readonly JSONSchemaProps[]
  readonly anyOf?: readonly JSONSchemaProps[]
  readonly default?: JSON
  readonly definitions?: Readonly<Record<string, JSONSchemaProps>>
  readonly dependencies?: Readonly<Record<string, JSONSchemaPropsOrStringArray>>
  readonly description?: string
  readonly enum?: readonly JSON[]
  readonly example?: JSON
  readonly exclusiveMaximum?: boolean
  readonly exclusiveMinimum?: boolean
  readonly externalDocs?: ExternalDocumentation
  readonly format?: string
  readonly id?: string
  readonly items?: JSONSchemaPropsOrArray
  readonly maxItems?: Int64
  readonly maxLength?: Int64
  readonly maxProperties?: Int64
  readonly maximum?: number
  readonly minItems?: Int64
  readonly minLength?: Int64
  readonly minProperties?: Int64
  readonly minimum?: number
  readonly multipleOf?: number
  readonly not?: JSONSchemaProps
  readonly nullable?: boolean
  readonly oneOf?: readonly JSONSchemaProps[]
  readonly pattern?: string
  readonly patternProperties?: Readonly<Record<string, JSONSchemaProps>>
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>
  readonly required?: readonly string[]
  readonly title?: string
  readonly type?: string
  readonly uniqueItems?: boolean
  readonly "x-kubernetes-embedded-resource"?: boolean
  readonly "x-kubernetes-int-or-string"?: boolean
  readonly "x-kubernetes-list-map-keys"?: readonly string[]
  readonly "x-kubernetes-list-type"?: string
  readonly "x-kubernetes-map-type"?: string
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean
  readonly "x-kubernetes-validations"?: readonly ValidationRule[]
}

export type JSONSchemaPropsOrArray = JSONSchemaProps | readonly JSONSchemaProps[]

export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean

export type JSONSchemaPropsOrStringArray = JSONSchemaProps | readonly string[]

export interface SelectableField {
  readonly jsonPath: string
}

export interface ServiceReference {
  readonly name: string
  readonly namespace: string
  readonly path?: string
  readonly port?: number
}

export interface ValidationRule {
  readonly fieldPath?: string
  readonly message?: string
  readonly messageExpression?: string
  readonly optionalOldSelf?: boolean
  readonly reason?: "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueInvalid" | "FieldValueRequired"
  readonly rule: string
}

export interface WebhookClientConfig {
  readonly caBundle?: string
  readonly service?: ServiceReference
  readonly url?: string
}

export interface WebhookConversion {
  readonly clientConfig?: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}
