/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_write.h"

static const char help_text[] =
    "usage: cdxr render MODEL -o FILE [options]\n"
    "\n"
    "Path traces a model (glTF, GLB, OBJ, PLY and whatever else assimp reads) by DirectX Raytracing in software.\n"
    "\n"
    "  -o, --output FILE      picture to write: .png (tone-mapped) or .exr (linear)\n"
    "  -s, --size WxH         pixels [1280x720]\n"
    "  -n, --spp N            samples per pixel [64]\n"
    "  -b, --bounces N        longest path [6]\n"
    "  -t, --threads N        worker threads [all CPUs]\n"
    "      --camera E:T[:FOV] eye x,y,z, target x,y,z and vertical field of view in degrees [frames the model]\n"
    "      --exposure F       factor before the tone curve [1]\n"
    "      --seed N           of the sampling [0]\n"
    "      --aov              write FILE's albedo and normal beside it (NAME.albedo.EXT, NAME.normal.EXT)\n"
    "      --no-ground        leave out the ground plane\n"
    "      --debug            switch the debug layer on\n"
    "  -q, --quiet            no progress bar\n"
    "  -h, --help             this text\n";

enum long_option { OPT_CAMERA = 256, OPT_EXPOSURE, OPT_SEED, OPT_AOV, OPT_NO_GROUND, OPT_DEBUG };

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},      {"size", required_argument, NULL, 's'},
    {"spp", required_argument, NULL, 'n'},         {"bounces", required_argument, NULL, 'b'},
    {"threads", required_argument, NULL, 't'},     {"camera", required_argument, NULL, OPT_CAMERA},
    {"exposure", required_argument, NULL, OPT_EXPOSURE}, {"seed", required_argument, NULL, OPT_SEED},
    {"aov", no_argument, NULL, OPT_AOV},           {"no-ground", no_argument, NULL, OPT_NO_GROUND},
    {"debug", no_argument, NULL, OPT_DEBUG},       {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},              {0}};

static bool wrong(const char *option, const char *value, const char *rule)
{
    fprintf(stderr, "cdxr render: %s '%s': %s\n", option, value, rule);
    return false;
}

static bool parse_count(const char *option, const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    char rule[80];
    if (!*text || *end || *text == '-' || value < least || value > most) {
        snprintf(rule, sizeof(rule), "must be a number from %u to %u", least, most);
        return wrong(option, text, rule);
    }
    *out = (uint32_t)value;
    return true;
}

static bool parse_float(const char *option, const char *text, float *out)
{
    char *end;
    float value = strtof(text, &end);
    if (!*text || *end || !isfinite(value) || value <= 0)
        return wrong(option, text, "must be a positive number");
    *out = value;
    return true;
}

static bool parse_size(const char *text, struct render_options *o)
{
    unsigned width, height;
    char rest;
    if (sscanf(text, "%ux%u%c", &width, &height, &rest) != 2 || width < 1 || height < 1 || width > 16384 || height > 16384)
        return wrong("--size", text, "must be WxH with both from 1 to 16384");
    o->width = width;
    o->height = height;
    return true;
}

static bool parse_camera(const char *text, struct render_options *o)
{
    char rest;
    int n = sscanf(text, "%f,%f,%f:%f,%f,%f:%f%c", &o->eye[0], &o->eye[1], &o->eye[2], &o->target[0], &o->target[1],
                   &o->target[2], &o->field_of_view, &rest);
    if (n != 6 && n != 7)
        return wrong("--camera", text, "must be x,y,z:x,y,z or x,y,z:x,y,z:degrees");
    if (!(o->field_of_view > 0.1f && o->field_of_view < 179.0f))
        return wrong("--camera", text, "the field of view must be from 0.1 to 179 degrees");
    if (memcmp(o->eye, o->target, sizeof(o->eye)) == 0)
        return wrong("--camera", text, "eye and target must differ");
    o->has_camera = true;
    return true;
}

static bool parse_threads(const char *text)
{
    uint32_t count;
    if (!parse_count("--threads", text, 1, 1024, &count))
        return false;
    setenv("CDXR_THREADS", text, 1); /* read when the device is created */
    return true;
}

static bool parse_option(int option, struct render_options *o)
{
    switch (option) {
    case 'o': o->output_path = optarg; return true;
    case 's': return parse_size(optarg, o);
    case 'n': return parse_count("--spp", optarg, 1, 1000000, &o->sample_count);
    case 'b': return parse_count("--bounces", optarg, 0, 1000, &o->bounce_count);
    case 't': return parse_threads(optarg);
    case OPT_CAMERA: return parse_camera(optarg, o);
    case OPT_EXPOSURE: return parse_float("--exposure", optarg, &o->exposure);
    case OPT_SEED: return parse_count("--seed", optarg, 0, UINT32_MAX, &o->seed);
    case OPT_AOV: o->write_aov = true; return true;
    case OPT_NO_GROUND: o->has_ground = false; return true;
    case OPT_DEBUG: o->use_debug_layer = true; return true;
    case 'q': o->is_quiet = true; return true;
    default: return false; /* getopt has printed what is wrong */
    }
}

static bool check(const struct render_options *o, int argc, char **argv)
{
    if (!o->model_path)
        fprintf(stderr, "cdxr render: no MODEL given; see cdxr render --help\n");
    else if (optind + 1 < argc)
        fprintf(stderr, "cdxr render: one MODEL only, '%s' is one too many\n", argv[optind + 1]);
    else if (!o->output_path)
        fprintf(stderr, "cdxr render: no --output given; see cdxr render --help\n");
    else if (!image_path_is_known(o->output_path))
        fprintf(stderr, "cdxr render: --output '%s': must end in .png or .exr\n", o->output_path);
    else
        return true;
    return false;
}

int render_options_parse(int argc, char **argv, struct render_options *o)
{
    *o = (struct render_options){.width = 1280, .height = 720, .sample_count = 64, .bounce_count = 6,
                                 .field_of_view = 32, .exposure = 1, .has_ground = true};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "o:s:n:b:t:qh", long_options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help_text, stdout);
            return 1;
        }
        if (!parse_option(option, o))
            return 3;
    }
    o->model_path = optind < argc ? argv[optind] : NULL;
    return check(o, argc, argv) ? 0 : 3;
}
