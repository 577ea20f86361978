// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
ConversionRequest uid! desiredAPIVersion! objects+r
ConversionResponse uid! convertedObjects+r result!meta/v1.Status
@ConversionReview request?ConversionRequest response?ConversionResponse
CustomResourceColumnDefinition name! type! format. description. priority.i jsonPath!
CustomResourceConversion strategy! webhook?WebhookConversion
@CustomResourceDefinition metadata!meta/v1.ObjectMeta spec!CustomResourceDefinitionSpec status!CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type! status! lastTransitionTime!t reason. message. observedGeneration.l
@CustomResourceDefinitionList metadata!meta/v1.ListMeta items+CustomResourceDefinition
CustomResourceDefinitionNames plural! singular. shortNames* kind! listKind. categories*
CustomResourceDefinitionSpec group! names=3!CustomResourceDefinitionNames scope! versions=7+CustomResourceDefinitionVersion conversion=9?CustomResourceConversion preserveUnknownFields.b
CustomResourceDefinitionStatus conditions+CustomResourceDefinitionCondition acceptedNames!CustomResourceDefinitionNames storedVersions+ observedGeneration.l
CustomResourceDefinitionVersion name! served!b storage!b schema?CustomResourceValidation subresources?CustomResourceSubresources additionalPrinterColumns*CustomResourceColumnDefinition deprecated.b deprecationWarning? selectableFields*SelectableField
CustomResourceSubresourceScale specReplicasPath! statusReplicasPath! labelSelectorPath?
CustomResourceSubresourceStatus
CustomResourceSubresources status?CustomResourceSubresourceStatus scale?CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema?JSONSchemaProps
ExternalDocumentation description. url.
JSONSchemaProps id. $schema. $ref? description. type. format. title. default?j maximum?d exclusiveMaximum.b minimum?d exclusiveMinimum.b maxLength?l minLength?l pattern. maxItems?l minItems?l uniqueItems.b multipleOf?d enum*j maxProperties?l minProperties?l required* items?JSONSchemaPropsOrArray allOf*JSONSchemaProps oneOf*JSONSchemaProps anyOf*JSONSchemaProps not?JSONSchemaProps properties%JSONSchemaProps additionalProperties?JSONSchemaPropsOrBool patternProperties%JSONSchemaProps dependencies%JSONSchemaPropsOrStringArray additionalItems?JSONSchemaPropsOrBool definitions%JSONSchemaProps externalDocs?ExternalDocumentation example?j nullable.b x-kubernetes-preserve-unknown-fields?b x-kubernetes-embedded-resource.b x-kubernetes-int-or-string.b x-kubernetes-list-map-keys* x-kubernetes-list-type? x-kubernetes-map-type? x-kubernetes-validations*ValidationRule
|JSONSchemaPropsOrArray list=2*JSONSchemaProps schema=1?JSONSchemaProps
|JSONSchemaPropsOrBool schema=2?JSONSchemaProps allows=1!b
|JSONSchemaPropsOrStringArray list=2* schema=1?JSONSchemaProps
SelectableField jsonPath!
ServiceReference namespace! name! path? port?i
ValidationRule rule! message. messageExpression. reason? fieldPath. optionalOldSelf?b
WebhookClientConfig service?ServiceReference caBundle.y url?
WebhookConversion clientConfig=2?WebhookClientConfig conversionReviewVersions+
`
