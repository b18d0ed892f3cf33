// Prints what the simulated Kubernetes API has to know about the types of the real one, as TypeScript: the fields in
// the order in which they are written, and when they are left out, from the Go types; what may be merged with what, and
// what must be given, from their OpenAPI; the numbers of the fields from their protobuf tags.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// roots are the kinds that the simulated API serves or reads. All types that they hold are printed, too.
var roots = []any{
	corev1.ConfigMap{}, corev1.Endpoints{}, corev1.Event{}, corev1.Namespace{}, corev1.Node{}, corev1.Pod{},
	corev1.Secret{}, corev1.Service{}, corev1.ServiceAccount{},
	appsv1.Deployment{},
	apiextensionsv1.CustomResourceDefinition{},
	authenticationv1.SelfSubjectReview{},
	authorizationv1.SelfSubjectAccessReview{}, authorizationv1.SubjectAccessReview{},
	coordinationv1.Lease{},
	discoveryv1.EndpointSlice{},
	eventsv1.Event{},
	rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{}, rbacv1.Role{}, rbacv1.RoleBinding{},
	metav1.DeleteOptions{},
}

// scalars are types that are one value in JSON, or that the simulated API does not look into.
var scalars = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                     "time",
	reflect.TypeFor[metav1.MicroTime]():                "microTime",
	reflect.TypeFor[resource.Quantity]():               "quantity",
	reflect.TypeFor[intstr.IntOrString]():              "intOrString",
	reflect.TypeFor[[]byte]():                          "bytes",
	reflect.TypeFor[metav1.FieldsV1]():                 "untyped",
	reflect.TypeFor[apiextensionsv1.JSONSchemaProps](): "untypedGranular",
}

var kinds = map[reflect.Kind]string{
	reflect.String: "text", reflect.Bool: "boolean",
	reflect.Int32: "int32", reflect.Int64: "int64", reflect.Float64: "double",
}

const header = `// Generated from the Go types of Kubernetes by e2e/cluster/schemas: run npm run generate:schemas, do not edit.
import type { GeneratedType } from './generated-type.ts';

/** The types of the built-in kinds, by the names under which their OpenAPI is published. */
export const TYPES = {
`

func main() {
	definitions := openapi.GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.Ref{} })
	printer := printer{definitions: definitions, printed: map[string]string{}}
	for _, root := range roots {
		printer.add(reflect.TypeOf(root))
	}
	names := slices.Sorted(maps.Keys(printer.printed))
	fmt.Print(header)
	for _, name := range names {
		fmt.Printf("  %s: %s,\n", quote(name), printer.printed[name])
	}
	fmt.Print("} satisfies Readonly<Record<string, GeneratedType>>;\n")
}

type printer struct {
	definitions map[string]common.OpenAPIDefinition
	// printed holds the text of each type by its name; empty while it is being made, because types may hold themselves.
	printed map[string]string
}

func (p *printer) add(structType reflect.Type) string {
	name := modelName(structType)
	if _, known := p.printed[name]; known {
		return name
	}
	p.printed[name] = ""
	definition, found := p.definitions[name]
	if !found {
		panic("no OpenAPI definition of " + name)
	}
	schema := definition.Schema
	var parts []string
	if schema.Extensions["x-kubernetes-map-type"] == "atomic" {
		parts = append(parts, "atomic: true")
	}
	if len(schema.Required) > 0 {
		parts = append(parts, "required: "+literal(schema.Required))
	}
	fields := p.fields(structType, nil, schema)
	parts = append(parts, "fields: {\n"+strings.Join(fields, "")+"}")
	p.printed[name] = "{\n" + strings.Join(parts, ",\n") + ",\n}"
	return name
}

// fields are those of the type, and those that JSON writes in place of an embedded type. The protobuf encoding nests
// these: outer holds the numbers that lead to them.
func (p *printer) fields(structType reflect.Type, outer []string, schema spec.Schema) []string {
	var lines []string
	for index := range structType.NumField() {
		field := structType.Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		number := append(slices.Clone(outer), protobufNumber(field))
		if name == "" {
			lines = append(lines, p.fields(field.Type, number, schema)...)
			continue
		}
		property, found := schema.Properties[name]
		if !found {
			panic(fmt.Sprintf("no OpenAPI property %s of %s", name, structType))
		}
		parts := append([]string{"of: " + p.of(field.Type, property, field.Tag)}, facts(field, options, property)...)
		parts = append(parts, fmt.Sprintf("number: %s", numberLiteral(number)))
		lines = append(lines, fmt.Sprintf("%s: { %s },\n", name, strings.Join(parts, ", ")))
	}
	return lines
}

// facts are what is not usual about a field: that it is written although it has no value, or has a default.
func facts(field reflect.StructField, options string, property spec.Schema) []string {
	var parts []string
	presence := presenceOf(field.Type.Kind(), strings.Split(options, ","))
	if presence != "omitEmpty" {
		parts = append(parts, "presence: "+quote(presence))
	}
	// The default of what is always written is its zero value: the simulated API knows that.
	if value := property.Default; value != nil && presence != "always" {
		parts = append(parts, "default: "+literal(value))
	} else if value != nil && !isZero(value) {
		panic("a default for what is always written: " + field.Name)
	}
	if field.Tag.Get("patchStrategy") == "retainKeys" {
		parts = append(parts, "retainKeys: true")
	}
	return parts
}

func presenceOf(kind reflect.Kind, options []string) string {
	omitEmpty, omitZero := slices.Contains(options, "omitempty"), slices.Contains(options, "omitzero")
	switch {
	case kind == reflect.Pointer && omitEmpty:
		return "optional"
	case kind == reflect.Pointer:
		return "nullable"
	// Go never takes a struct for empty.
	case omitZero, omitEmpty && kind != reflect.Struct:
		return "omitEmpty"
	default:
		return "always"
	}
}

func isZero(value any) bool {
	fields, isObject := value.(map[string]any)
	return isObject && len(fields) == 0 || !isObject && reflect.ValueOf(value).IsZero()
}

// of is the type of a field. What is said of a field, such as how its items are told apart, is about its outermost type.
func (p *printer) of(fieldType reflect.Type, property spec.Schema, tag reflect.StructTag) string {
	if fieldType.Kind() == reflect.Pointer {
		fieldType = fieldType.Elem()
	}
	if scalar, known := scalars[fieldType]; known {
		return quote(scalar)
	}
	if scalar, known := kinds[fieldType.Kind()]; known {
		return quote(scalar)
	}
	switch fieldType.Kind() {
	case reflect.Struct:
		if property.Extensions["x-kubernetes-map-type"] != nil {
			panic("said of a field, not of its type: how to merge a " + fieldType.String())
		}
		return quote(p.add(fieldType))
	case reflect.Map:
		parts := []string{"map: " + p.of(fieldType.Elem(), spec.Schema{}, "")}
		if property.Extensions["x-kubernetes-map-type"] == "atomic" {
			parts = append(parts, "atomic: true")
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case reflect.Slice:
		parts := []string{"list: " + p.of(fieldType.Elem(), spec.Schema{}, "")}
		switch property.Extensions["x-kubernetes-list-type"] {
		case "set":
			parts = append(parts, "identity: 'set'")
		case "map":
			parts = append(parts, "identity: "+literal(property.Extensions["x-kubernetes-list-map-keys"]))
		}
		strategy := strings.Split(tag.Get("patchStrategy"), ",")
		if key := tag.Get("patchMergeKey"); key != "" && slices.Contains(strategy, "merge") {
			parts = append(parts, "patchMerge: "+quote(key))
		} else if slices.Contains(strategy, "merge") {
			parts = append(parts, "patchMerge: true")
		}
		if slices.Contains(strategy, "retainKeys") {
			parts = append(parts, "retainKeys: true")
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	default:
		panic("no way to describe " + fieldType.String())
	}
}

func protobufNumber(field reflect.StructField) string {
	parts := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		panic("no protobuf number of " + field.Name)
	}
	return parts[1]
}

func modelName(structType reflect.Type) string {
	named, ok := reflect.Zero(structType).Interface().(interface{ OpenAPIModelName() string })
	if !ok {
		panic("no OpenAPI name of " + structType.String())
	}
	return named.OpenAPIModelName()
}

func numberLiteral(numbers []string) string {
	if len(numbers) == 1 {
		return numbers[0]
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}

func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func quote(text string) string { return "'" + text + "'" }
