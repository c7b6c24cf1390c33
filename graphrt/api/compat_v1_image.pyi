# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.image import (
    ResizeMethod as ResizeMethod, adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma, adjust_hue as adjust_hue, adjust_jpeg_quality as adjust_jpeg_quality,
    adjust_saturation as adjust_saturation, central_crop as central_crop,
    combined_non_max_suppression as combined_non_max_suppression, convert_image_dtype as convert_image_dtype,
    crop_to_bounding_box as crop_to_bounding_box, extract_patches as extract_patches,
    flip_left_right as flip_left_right, flip_up_down as flip_up_down, grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb, image_gradients as image_gradients, non_max_suppression as non_max_suppression,
    non_max_suppression_overlaps as non_max_suppression_overlaps,
    non_max_suppression_padded as non_max_suppression_padded,
    non_max_suppression_with_scores as non_max_suppression_with_scores, pad_to_bounding_box as pad_to_bounding_box,
    per_image_standardization as per_image_standardization, psnr as psnr, random_brightness as random_brightness,
    random_contrast as random_contrast, random_crop as random_crop, random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down, random_hue as random_hue, random_jpeg_quality as random_jpeg_quality,
    random_saturation as random_saturation, resize_with_crop_or_pad as _resize_image_with_crop_or_pad,
    resize_with_crop_or_pad as resize_with_crop_or_pad, rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv, rgb_to_yiq as rgb_to_yiq, rgb_to_yuv as rgb_to_yuv, rot90 as rot90,
    sobel_edges as sobel_edges, ssim as ssim, ssim_multiscale as ssim_multiscale, total_variation as total_variation,
    transpose as transpose, transpose as _transpose_image, yiq_to_rgb as yiq_to_rgb, yuv_to_rgb as yuv_to_rgb
)
resize_image_with_crop_or_pad = _resize_image_with_crop_or_pad
transpose_image = _transpose_image
from graphrt.io import (
    decode_and_crop_jpeg as decode_and_crop_jpeg, decode_bmp as decode_bmp, decode_gif as decode_gif,
    decode_image as decode_image, decode_jpeg as decode_jpeg, decode_png as decode_png, decode_webp as decode_webp,
    encode_jpeg as encode_jpeg, encode_png as encode_png, extract_jpeg_shape as extract_jpeg_shape, is_jpeg as is_jpeg
)
