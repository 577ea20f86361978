// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `apiextensions.k8s.io/v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
CustomResourceColumnDefinition: description:s format:s jsonPath*:s= name*:s= priority:i type*:s=
CustomResourceConversion: strategy*:s= webhook:WebhookConversion
CustomResourceDefinition: @ metadata:.ObjectMeta= spec*:CustomResourceDefinitionSpec= status:CustomResourceDefinitionStatus=
CustomResourceDefinitionCondition: lastTransitionTime:t message:s observedGeneration:l reason:s status*:s= type*:s=
CustomResourceDefinitionList: @ items*:]CustomResourceDefinition metadata:.ListMeta=
CustomResourceDefinitionNames: categories:[s kind*:s= listKind:s plural*:s= shortNames:[s singular:s
CustomResourceDefinitionSpec: conversion:CustomResourceConversion group*:s= names*:CustomResourceDefinitionNames= preserveUnknownFields:b scope*:s= versions*:[CustomResourceDefinitionVersion
CustomResourceDefinitionStatus: acceptedNames:CustomResourceDefinitionNames= conditions:(type)CustomResourceDefinitionCondition observedGeneration:l storedVersions:[s
CustomResourceDefinitionVersion: additionalPrinterColumns:[CustomResourceColumnDefinition deprecated:b deprecationWarning:s name*:s= schema:CustomResourceValidation selectableFields:[SelectableField served*:b= storage*:b= subresources:CustomResourceSubresources
CustomResourceSubresourceScale: labelSelectorPath:s specReplicasPath*:s= statusReplicasPath*:s=
CustomResourceSubresourceStatus:
CustomResourceSubresources: scale:CustomResourceSubresourceScale status:CustomResourceSubresourceStatus
CustomResourceValidation: openAPIV3Schema:JSONSchemaProps
ExternalDocumentation: description:s url:s
JSON: ?
JSONSchemaProps: $ref:s $schema:s additionalItems:JSONSchemaPropsOrBool additionalProperties:JSONSchemaPropsOrBool allOf:[JSONSchemaProps anyOf:[JSONSchemaProps default:JSON definitions:{JSONSchemaProps dependencies:{JSONSchemaPropsOrStringArray description:s enum:[JSON example:JSON exclusiveMaximum:b exclusiveMinimum:b externalDocs:ExternalDocumentation format:s id:s items:JSONSchemaPropsOrArray maxItems:l maxLength:l maxProperties:l maximum:d minItems:l minLength:l minProperties:l minimum:d multipleOf:d not:JSONSchemaProps nullable:b oneOf:[JSONSchemaProps pattern:s patternProperties:{JSONSchemaProps properties:{JSONSchemaProps required:[s title:s type:s uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[s x-kubernetes-list-type:s x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:(rule)ValidationRule&merge:rule
JSONSchemaPropsOrArray: ?
JSONSchemaPropsOrBool: ?
JSONSchemaPropsOrStringArray: ?
SelectableField: jsonPath*:s=
ServiceReference: name*:s= namespace*:s= path:s port:i
ValidationRule: fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s<FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired> rule*:s=
WebhookClientConfig: caBundle:y service:ServiceReference url:s
WebhookConversion: clientConfig:WebhookClientConfig conversionReviewVersions*:[s
`
